"""Main metrics and splits of HELM's run groups, as in the schema files of crfm-helm 0.5.16.

They count where a release has no `schema.json` of its own. Groups that are not here have
`exact_match` on the test split. Where schemas differ, the one that is named first counts: lite,
classic, vhelm, audio.
"""

from __future__ import annotations

_GROUPS = {
    ("Helpfulness", "test"): "anthropic_hh_rlhf grammar koala self_instruct vicuna",
    ("Helpfulness", "valid"): "open_assistant",
    ("NDCG@10", "valid"): "melt_information_retrieval_mrobust msmarco_trec",
    ("RR@10", "valid"): "melt_information_retrieval_mmarco msmarco_regular",
    ("accuracy", "test"): "tab_fact unitxt_cards.amazon_mass.es_ES unitxt_cards.xnli.es",
    ("aci_bench_accuracy", "test"): "aci_bench",
    ("adjusted_macro_f1_score", "test"): "kpi_edgar",
    ("air_score", "test"): "air_bench_2024",
    ("alrage_score", "test"): "alrage",
    (
        "annotation_autobencher_capabilities_score",
        "test",
    ): "autobencher_capabilities autobencher_safety",
    ("annotation_financebench_label_correct_answer", "test"): "financebench",
    ("arabic_content_generation_score", "test"): "arabic_content_generation",
    ("bits_per_byte", "test"): (
        "cleva_language_modeling ice the_pile twitter_aae twitter_aae_aa twitter_aae_white"
    ),
    ("bleu", "test"): "covost2",
    ("bleu_4", "test"): "wmt_14",
    ("calculation_accuracy", "test"): "arabic_finance_calculation",
    ("chain_of_thought_correctness", "test"): "gpqa mmlu_pro",
    ("chinese_bleu_1", "test"): (
        "cleva_data_to_text_generation cleva_dialogue_generation cleva_pinyin_transliteration"
    ),
    ("chinese_ibleu", "test"): "cleva_paraphrase_generation",
    ("chinese_rouge_2", "test"): "cleva_summarization",
    ("chr_f_plus_plus", "test"): (
        "flores_en_id flores_en_ta flores_en_th flores_en_vi flores_id_en "
        "flores_ta_en flores_th_en flores_vi_en"
    ),
    ("chw_care_plan_accuracy", "test"): "chw_care_plan",
    ("classification_macro_f1", "test"): (
        "indicsentiment lex_glue lextreme mlhsd nusax "
        "slphelm_asr_disorder_diagnosis slphelm_disorder_diagnosis "
        "slphelm_disorder_symptom_classification "
        "slphelm_disorder_type_classification thaitoxicitytweets uitvsfc vihsd "
        "wisesight"
    ),
    (
        "classification_micro_f1",
        "test",
    ): "disorder_diagnosis disorder_type_diagnosis symptom_diagnosis",
    (
        "classification_weighted_f1",
        "test",
    ): "echr_judgment_classification financial_phrasebank gold_commodity_news",
    ("cleva_machine_translation_bleu", "test"): "cleva_translation",
    ("cleva_math_result_match", "test"): "cleva_mathematical_reasoning",
    ("cleva_top1_accuracy", "test"): "cleva_conceptual_generalization",
    ("dischargeme_accuracy", "test"): "dischargeme",
    ("earth_mover_similarity", "valid"): (
        "image2latex image2latex_algorithm image2latex_equation "
        "image2latex_plot image2latex_table image2latex_wild image2musicsheet "
        "image2webpage image2webpage_css image2webpage_html "
        "image2webpage_javascript image2webpage_wild"
    ),
    ("ehr_sql_execution_accuracy", "test"): "ehr_sql",
    ("error_rate", "test"): "czech_bank_qa",
    ("exact_match", "valid"): "hellaswag med_mcqa truthful_qa",
    ("exact_match_indicator", "test"): "dyck_language",
    ("execution_accuracy", "valid"): "bird_sql spider",
    ("f1_micro", "test"): "turl_col_type",
    ("f1_score", "test"): "msr_vtt narrative_qa",
    ("f1_score", "valid"): "natural_qa_closedbook natural_qa_openbook_longans quac",
    ("f1_set_match", "test"): "melt_synthetic_reasoning_natural synthetic_reasoning_natural",
    ("f1_strings", "test"): "wikitq",
    ("final_number_exact_match", "test"): "gsm",
    ("float_equiv", "valid"): "conv_fin_qa_calc",
    ("gpt4_audio_critique", "test"): "air_bench_chat_knowledge air_bench_chat_reasoning audiocaps",
    ("ifeval_strict_accuracy", "test"): "ifeval",
    ("math_equiv", "test"): "math_regular melt_math_regular",
    ("math_equiv_chain_of_thought", "test"): "math_chain_of_thought melt_math_chain_of_thought",
    ("med_dialog_accuracy", "test"): "med_dialog",
    ("medalign_accuracy", "test"): "medalign",
    ("medcalc_bench_accuracy", "test"): "medcalc_bench",
    ("medec_error_flag_accuracy", "test"): "medec",
    ("medi_qa_accuracy", "test"): "medi_qa",
    ("medication_qa_accuracy", "test"): "medication_qa",
    ("mental_health_accuracy", "test"): "mental_health",
    ("mimic_bhc_accuracy", "test"): "mimic_bhc",
    ("mimic_rrs_accuracy", "test"): "mimic_rrs",
    ("mimiciv_billing_code_f1", "test"): "mimiciv_billing_code",
    ("model_judged_score", "test"): "arabic_legal_qa arabic_legal_rag",
    ("mtsamples_procedures_accuracy", "test"): "mtsamples_procedures",
    ("mtsamples_replicate_accuracy", "test"): "mtsamples_replicate",
    ("omni_math_accuracy", "test"): "omni_math",
    ("openai_mrcr_accuracy", "test"): "openai_mrcr",
    ("pass", "test"): "code_humaneval",
    ("program_accuracy", "test"): "fin_qa",
    ("prometheus_vision", "test"): (
        "bingo bingo_fairness bingo_multilinguality crossmodal_3600 flickr30k mementos vibe_eval"
    ),
    ("quasi_exact_match", "test"): (
        "air_bench_foundation arabic_finance_bool babi_qa banking77 bbq "
        "casehold civil_comments cti_to_mitre decodingtrust_adv_demonstration "
        "decodingtrust_adv_robustness decodingtrust_fairness "
        "decodingtrust_machine_ethics decodingtrust_ood_robustness "
        "decodingtrust_privacy entity_data_imputation entity_matching "
        "iemocap_audio legal_opinion_sentiment_classification legal_support "
        "legalbench lsat_qa machine_ethics med_qa melt_knowledge_vimmrc "
        "melt_knowledge_zalo melt_lm_mask_filling_mlqa "
        "melt_lm_spelling_correction_vsec melt_question_answering_mlqa "
        "melt_question_answering_xquad melt_sentiment_analysis_vlsp "
        "melt_sentiment_analysis_vsfc melt_synthetic_reasoning_induction "
        "melt_synthetic_reasoning_pattern_match "
        "melt_synthetic_reasoning_variable_substitution "
        "melt_text_classification_phoatis melt_text_classification_vsmec "
        "melt_toxicity_detection_victsd melt_toxicity_detection_vihsd "
        "melt_translation_opus100 melt_translation_phomt mustard mutox parade "
        "privacy raft synthetic_reasoning voxceleb2 wikifact"
    ),
    ("quasi_exact_match", "valid"): (
        "adv_demonstration adv_robustness boolq fairness imdb ood_robustness vqa"
    ),
    ("quasi_leave_articles_exact_match", "test"): "real_world_qa",
    ("quasi_prefix_exact_match", "test"): (
        "corebench exams_v hateful_memes meld_audio mme pairs pope seed_bench unicorn vocal_sound"
    ),
    ("quasi_prefix_exact_match", "valid"): (
        "a_okvqa_base a_okvqa_chinese a_okvqa_dialect a_okvqa_hindi "
        "a_okvqa_spanish a_okvqa_swahili blink_knowledge blink_perception "
        "blink_reasoning fair_face gqa mm_star_knowledge mm_star_perception "
        "mm_star_reasoning mmmu viz_wiz vqa_base vqa_dialect"
    ),
    ("refusal_rate", "test"): "voice_jailbreak_attacks",
    ("rougeL", "test"): (
        "numeric_nlg qtsumm scigen tablebench_data_analysis "
        "tablebench_fact_checking tablebench_numerical_reasoning "
        "unitxt_cards.mlsum.es unitxt_cards.xlsum.spanish"
    ),
    ("rouge_2", "test"): (
        "billsum_legal_summarization eurlexsum_legal_summarization "
        "melt_summarization_vietnews melt_summarization_wikilingua "
        "multilexsum_legal_summarization summarization_cnndm summarization_xsum"
    ),
    ("rouge_l", "test"): "infinite_bench_en_sum legal_contract_summarization sumosum",
    ("ruler_string_match_part", "valid"): "ruler_hotpotqa ruler_squad",
    ("safety_score", "test"): (
        "anthropic_red_team harm_bench harm_bench_gcg_transfer simple_safety_tests xstest"
    ),
    ("squad_f1_score", "test"): "indicqa tydiqa xquad_th xquad_vi",
    ("starr_patient_instructions_accuracy", "test"): "starr_patient_instructions",
    ("test_avg", "test"): "code_apps",
    ("toxic_frac", "test"): "mm_safety_bench",
    ("wer", "test"): "slphelm_asr_transcription",
    ("wer_score", "test"): (
        "ami fleurs fleurs_fairness librispeech librispeech_fairness "
        "multilingual_librispeech speech_robust_bench transcription"
    ),
    ("wildbench_score_rescaled", "test"): "wildbench",
}
MAINS = {name: main for main, names in _GROUPS.items() for name in names.split()}
"""Metric and split by run group."""
